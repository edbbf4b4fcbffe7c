/** Findings about who may read the home's files. */
import { chmodSync, statSync } from 'node:fs';
import { homePaths } from '../../contract/home.ts';
import { ill, well, type Finding } from '../render/findings.ts';

/** Those that hold keys, or everybody's words. `own` is who asks; null where there are no users. */
export function checkPermissions(home: string, own: number | null): Finding[] {
  const { token, secret, secrets, database, backups } = homePaths(home);
  const named = [
    ['home', home],
    ['token file', token],
    ['secret file', secret],
    ['secrets', secrets],
    ['database', database],
    ['backups folder', backups],
  ] as const;
  return named.flatMap(([name, path]) => check(home, own, name, path));
}

function check(home: string, own: number | null, name: string, path: string): Finding[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  const mode = octal(stat.mode & 0o777);
  const wanted = stat.isDirectory() ? 0o700 : 0o600;
  if (own !== null && own !== 0 && stat.uid !== own) {
    return [
      ill('error', name, {
        what: `${path} belongs to user ${stat.uid}, and you are ${own}`,
        why: 'What runs as you cannot keep it from whoever owns it.',
        remedy: `use a home of your own (OFFSHOOT_HOME), or: sudo chown -R ${own} '${home}'`,
      }),
    ];
  }
  if ((stat.mode & 0o077) === 0) return [well(name, `only you can read it (${mode})`)];
  return [
    ill('error', name, {
      what: `others can read ${path} (${mode})`,
      why: 'Whoever reads the token or the secret may run any runner as you.',
      remedy: `chmod ${octal(wanted)} '${path}', then replace what they may have read`,
      fix: () => {
        chmodSync(path, wanted);
        return `${path} is ${octal(wanted)} now; replace what others may have read`;
      },
    }),
  ];
}

const octal = (mode: number) => mode.toString(8).padStart(4, '0');
