/** Tells a waiting host that the call lives. Only sent to hosts that asked for it. */
export interface ProgressTarget {
  progressToken: string | number | undefined;
  notify: (params: {
    progressToken: string | number;
    progress: number;
    message: string;
  }) => Promise<void>;
}

export async function withProgress<T>(
  target: ProgressTarget,
  everyMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const { progressToken } = target;
  if (progressToken === undefined) return work();
  let beats = 0;
  const timer = setInterval(() => {
    beats += 1;
    const seconds = Math.round((beats * everyMs) / 1000);
    const message = `still waiting after ${seconds} s`;
    // A host that has gone takes nothing more; the call itself ends by its own signal.
    target.notify({ progressToken, progress: beats, message }).catch(() => undefined);
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
