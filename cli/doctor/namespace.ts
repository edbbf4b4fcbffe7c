/** Findings about the engine's namespace: for how long it keeps what has ended, and what it can be searched by. */
import type { Config } from '../../contract/config.ts';
import type { EngineConnection } from '../../engine/connect-options.ts';
import type { NamespaceView } from '../../engine/inspect-engine.ts';
import { ill, well, type Finding } from '../render/findings.ts';

export function checkNamespace(
  engine: EngineConnection,
  found: NamespaceView,
  { retentionDays }: Config['engine'],
): Finding[] {
  const fix = () => mend(engine, retentionDays);
  return [history(found, retentionDays, fix), ...search(found, engine, fix)];
}

function history(
  { retentionDays: kept }: NamespaceView,
  wanted: number,
  fix: () => Promise<string>,
): Finding {
  if (kept >= wanted) return well('engine history', `kept for ${kept} days`);
  return ill('warning', 'engine history', {
    what: `kept for ${kept} days, and engine.retentionDays is ${wanted}`,
    why: 'Temporal UI forgets ended workflows sooner than wanted. The store keeps all.',
    remedy: 'offshoot doctor --fix, or whoever may change the namespace',
    fix,
  });
}

function search(
  { missingAttributes: missing, foreignAttributes: foreign }: NamespaceView,
  { address, namespace }: EngineConnection,
  fix: () => Promise<string>,
): Finding[] {
  if (missing.length + foreign.length === 0) {
    return [well('engine search', 'every search attribute is there')];
  }
  const why = 'Temporal UI cannot be searched by them. Everything else works.';
  const found: Finding[] = [];
  if (missing.length > 0) {
    const remedy = 'offshoot doctor --fix, or whoever may change the namespace';
    found.push(
      ill('warning', 'engine search', { what: `without ${missing.join(', ')}`, why, remedy, fix }),
    );
  }
  if (foreign.length > 0) {
    const names = foreign.map(({ name }) => `--name ${name}`).join(' ');
    const at = `--address ${address} --namespace ${namespace}`;
    found.push(
      ill('warning', 'engine search', {
        what: `${foreign.map(({ name, type }) => `${name} is ${type}`).join(', ')}, and must be Keyword`,
        why,
        // Not ours to do: whoever made it may search by it.
        remedy: `name a namespace of its own (engine.namespace); or, if nobody else needs it: temporal operator search-attribute remove ${at} ${names} --yes, then offshoot doctor --fix`,
      }),
    );
  }
  return found;
}

/** A namespace that does not let us is left as it is without a word, so it is looked at once more. */
async function mend(engine: EngineConnection, retentionDays: number): Promise<string> {
  const { inspectNamespace, mendNamespace } = await import('../../engine/inspect-engine.ts');
  await mendNamespace(engine, retentionDays);
  const { retentionDays: kept, missingAttributes: missing } = await inspectNamespace(engine);
  const left = [
    ...(kept < retentionDays ? ['its retention'] : []),
    ...(missing.length > 0 ? [missing.join(', ')] : []),
  ];
  if (left.length === 0) {
    return `retention and search attributes of ${engine.namespace} are set; the server sends them from its next start on`;
  }
  throw new Error(
    `${engine.namespace} takes no change of ${left.join(' and ')}: it is refused, or there is no room for more attributes`,
  );
}
