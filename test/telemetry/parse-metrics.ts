/** Reads Prometheus' text format as strictly as its description says; throws on what is not that. */
export interface ParsedMetrics {
  types: Map<string, string>;
  /** By name and sorted labels, as in `a_total{mode="SYNC"}`. */
  value(series: string): number | undefined;
  /** All series of one name. */
  series(name: string): string[];
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

export function parseMetrics(text: string): ParsedMetrics {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') continue;
    if (kind === 'TYPE') {
      if (types.has(about)) throw new Error(`${about} has two types`);
      if (!['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(`type ${rest}`);
      types.set(about, rest);
      continue;
    }
    const [, name = '', labels = '', number = ''] = sampleLine.exec(line) ?? [];
    const family = name.replace(/_(bucket|sum|count)$/, '');
    if (!types.has(name) && types.get(family) !== 'histogram') throw new Error(`no type: ${line}`);
    const value = number === '+Inf' ? Infinity : Number(number);
    if (number === '' || Number.isNaN(value)) throw new Error(`no number: ${line}`);
    const key = labels === '' ? name : `${name}{${pairsOf(labels).sort().join(',')}}`;
    if (values.has(key)) throw new Error(`twice: ${key}`);
    values.set(key, value);
  }
  return {
    types,
    value: (series) => values.get(series),
    series: (name) => [...values.keys()].filter((key) => key.split('{')[0] === name),
  };
}

function pairsOf(labels: string): string[] {
  const pairs: string[] = [];
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < labels.length) {
    const from = labelPair.lastIndex;
    const match = labelPair.exec(labels);
    if (!match) throw new Error(`labels: ${labels.slice(from)}`);
    pairs.push(`${match[1]}="${match[2]}"`);
  }
  return pairs;
}
