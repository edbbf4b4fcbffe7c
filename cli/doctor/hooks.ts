/** Findings about hooks that were kept while no server took them, and that still wait or never will be sent. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asideReasons, keptAt, openHookSpool, type AsideReason } from '../../client/hook-spool.ts';
import { homePaths } from '../../contract/home.ts';
import { hookSpoolsOf } from '../hook/hook-spools.ts';
import { formatAge } from '../render/duration.ts';
import { ill, type Finding } from '../render/findings.ts';

/** A server that runs sends what waits for it once a minute. */
const waitMsMax = 10 * 60_000;

export function checkHooks(home: string, now: number, isUp: boolean): Finding[] {
  return hookSpoolsOf(homePaths(home)).flatMap((folder) => {
    try {
      return checkSpool(folder, now, isUp);
    } catch (error) {
      return ill('error', 'hooks', {
        what: `${folder} cannot be read: ${(error as Error).message}`,
        why: 'What programs tell while no server is there is lost.',
        remedy: 'move away what lies there, or make it readable; the next hook makes it anew',
      });
    }
  });
}

function checkSpool(folder: string, now: number, isUp: boolean): Finding[] {
  const unsettled = join(folder, 'unsettled');
  return [
    ...checkWaiting(folder, now, isUp),
    ...checkUnsettled(unsettled),
    ...[folder, unsettled].flatMap(checkAside),
  ];
}

function checkWaiting(folder: string, now: number, isUp: boolean): Finding[] {
  const names = openHookSpool(folder).names();
  const age = names.length === 0 ? 0 : now - keptAt(names[0]!);
  if (age <= waitMsMax) return [];
  return [
    ill('warning', 'hooks', {
      what: `${count(names)} in ${folder}, the oldest ${formatAge(age)}`,
      why: 'What their programs have told is in no transcript yet, and no search finds it.',
      remedy: isUp
        ? 'server.log says why the server does not take them; what is meant for another server goes with the next hook for that one'
        : 'offshoot up: the server sends them when it starts',
    }),
  ];
}

function checkUnsettled(folder: string): Finding[] {
  const names = openHookSpool(folder).names();
  if (names.length === 0) return [];
  return [
    ill('warning', 'hooks', {
      what: `${count(names)} in ${folder} until it is settled whose they are`,
      why: 'Two agents have a session under the same key; server.log names it.',
      remedy:
        'delete the wrong one (offshoot delete <key> --session --agent <id>), or give the program a token of its agent (offshoot token create --role agent --agent <id>); the server tries again each minute',
    }),
  ];
}

const aside: Record<AsideReason, { why: string; remedy: string }> = {
  locked: {
    why: 'The token that they were kept for is not taken any more.',
    remedy:
      "give their program a new one (offshoot token create --role agent --agent <id>); moved into the home's own spool/hooks, without `.locked` in their names, they are sent with the home's token",
  },
  deadly: {
    why: 'The server died or failed at each of them, twice: server.log says how.',
    remedy:
      'remove them, or update offshoot and take `.tried-2` and `.deadly` from their names: then they are tried again',
  },
  unreadable: {
    why: 'What lies there is no hook: half of one, or something else in its place.',
    remedy: 'look at them, and remove them',
  },
};

function checkAside(folder: string): Finding[] {
  const files = filesIn(folder);
  return asideReasons.flatMap((reason) => {
    const found = files.filter((name) => name.endsWith(`.json.${reason}`));
    if (found.length === 0) return [];
    const what = `${count(found)} set aside in ${folder}, as \`.${reason}\``;
    return ill('warning', 'hooks', { what, ...aside[reason] });
  });
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is none, or it is a finding already.
    return [];
  }
}

const count = ({ length }: readonly string[]) =>
  `${length} kept ${length === 1 ? 'hook' : 'hooks'}`;
