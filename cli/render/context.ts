/** An inherited block: where it came from, then its text as the child reads it. */
import type { ContextBlock, ContextSources } from '../../contract/records.ts';
import { oneLine, plainText } from '../../domain/plain-text.ts';
import type { Style } from './style.ts';

export interface ShownBlock {
  title: string;
  block: ContextBlock;
  /** Null for one that nobody was given yet. */
  givenAt: string | null;
}

export function renderBlock({ title, block, givenAt }: ShownBlock, style: Style): string {
  const fields = fieldsOf(block, givenAt).filter(([, value]) => value !== '');
  const width = Math.max(...fields.map(([name]) => name.length));
  return [
    style.bold(oneLine(title)),
    ...fields.map(([name, value]) => `  ${style.dim(name.padEnd(width))}  ${oneLine(value)}`),
    '',
    plainText(block.text).trimEnd(),
    '',
  ].join('\n');
}

function fieldsOf({ hash, sources }: ContextBlock, givenAt: string | null): [string, string][] {
  const { turns, entities, constraints } = sources;
  return [
    ['given', givenAt ?? ''],
    ['hash', hash],
    ['from', sources.parentSessionId],
    ['checkpoint', checkpointOf(sources)],
    ['turns', turns.map(rangeOf).join(', ')],
    ['entities', entities.join(', ')],
    ['constraints', constraints === 0 ? '' : `${constraints}`],
  ];
}

const rangeOf = ({ fromSeq, toSeq }: ContextSources['turns'][number]) =>
  fromSeq === toSeq ? `#${fromSeq}` : `#${fromSeq} to #${toSeq}`;

function checkpointOf({ checkpoint }: ContextSources): string {
  if (checkpoint === null) return '';
  return `to #${checkpoint.seq}, ${checkpoint.trigger}, ${checkpoint.at}`;
}
