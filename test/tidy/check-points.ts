import type { Source } from './read-sources.ts';

/** One line for each fault point that no code passes, and for each that is passed without being listed. */
export function checkPoints(sources: Source[], listed: string[]): string[] {
  const passed = sources
    .filter(({ path }) => path.endsWith('.ts') && !path.startsWith('test/'))
    .flatMap(({ path, text }) => namesIn(text).map((point) => ({ path, point })));
  const unlisted = passed.filter(({ point }) => !listed.includes(point));
  const idle = listed.filter((name) => !passed.some(({ point }) => point === name));
  return [
    ...unlisted.map(({ path, point }) => `${point} is passed in ${path} and not listed`),
    ...idle.map((name) => `${name} is passed nowhere`),
  ];
}

/** What stands in the call and is not compared with. */
function namesIn(text: string): string[] {
  const calls = [...text.matchAll(/\breach\(([^()]*)\)/g)].map(([, inside]) => inside!);
  return calls
    .flatMap((inside) => [...inside.matchAll(/(=== )?'([^']+)'/g)])
    .flatMap(([, compared, name]) => (compared === undefined ? [name!] : []));
}
