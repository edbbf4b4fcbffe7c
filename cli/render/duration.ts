/** Lengths of time as people say them. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export function formatDuration(ms: number): string {
  const time = Math.max(0, ms);
  // Rounded first, so that 59.96 s does not become "60.0 s".
  if (Math.round(time / 100) < 100) return `${(Math.round(time / 100) / 10).toFixed(1)} s`;
  const seconds = Math.round(time / second);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  return `${Math.floor(minutes / (24 * 60))} d ${Math.floor((minutes % (24 * 60)) / 60)} h`;
}

export function formatAge(ms: number): string {
  if (ms < minute) return 'just now';
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`;
  if (ms < day) return `${Math.floor(ms / hour)} h ago`;
  return `${Math.floor(ms / day)} d ago`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
