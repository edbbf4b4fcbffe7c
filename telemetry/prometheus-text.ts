/** Prometheus' text format, version 0.0.4. Written here, because it is forty lines and a package is not. */
import type { Distribution, Family, Labels } from './instruments.ts';

export function prometheusText(families: readonly Family[]): string {
  return families.map((family) => `${[...linesOf(family)].join('\n')}\n`).join('');
}

function* linesOf(family: Family): Generator<string> {
  yield `# HELP ${family.name} ${family.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`;
  yield `# TYPE ${family.name} ${family.type}`;
  if (family.type === 'histogram') {
    for (const one of family.samples) yield* bucketLines(family.name, family.bounds, one);
  } else {
    for (const { labels, value } of family.samples) yield line(family.name, labels, value);
  }
}

/** Each bucket counts what the smaller ones do, too. */
function* bucketLines(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: Distribution,
): Generator<string> {
  let total = 0;
  for (const [index, count] of counts.entries()) {
    total += count;
    const le = index < bounds.length ? String(bounds[index]) : '+Inf';
    yield line(`${name}_bucket`, { ...labels, le }, total);
  }
  yield line(`${name}_sum`, labels, sum);
  yield line(`${name}_count`, labels, total);
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

const escaped = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
