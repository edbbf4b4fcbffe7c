/** `doctor`: looks at everything, and says for each thing that is wrong what to do. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { findServer } from '../../client/discover.ts';
import { createClient, type OffshootClient } from '../../client/index.ts';
import { AppError } from '../../contract/errors.ts';
import { homePaths } from '../../contract/home.ts';
import type { RunnerInfo } from '../../contract/system-records.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { checkBackups } from '../doctor/backups.ts';
import { checkConfig } from '../doctor/config.ts';
import { checkCutRestore } from '../doctor/cut-restore.ts';
import { checkDisk } from '../doctor/disk.ts';
import { checkEngine } from '../doctor/engine.ts';
import { checkHealth, checkRunners } from '../doctor/health.ts';
import { checkHooks } from '../doctor/hooks.ts';
import { checkLauncher } from '../doctor/launcher.ts';
import { checkLeftFiles } from '../doctor/left-files.ts';
import { checkPermissions } from '../doctor/permissions.ts';
import { checkStore } from '../doctor/store.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { jsonOption } from '../option-values.ts';
import { tellLine, withProgress } from '../progress.ts';
import { ill, remedyOf, renderFindings, type Finding } from '../render/findings.ts';
import { createStyle } from '../render/style.ts';
import { writeJson } from '../write-json.ts';

export function addDoctorCommand(program: Command, { action }: Cli): void {
  program
    .command('doctor')
    .description(
      'check engine, store, runner hosts, clock, disk, files, kept hooks, backups and configuration',
    )
    .option('--fix', 'mend what can be mended safely, then look again')
    .addOption(jsonOption())
    .action(action(doctor));
}

interface Look {
  findings: Finding[];
  isReachable: boolean;
}

interface ServerLook extends Look {
  client: OffshootClient | null;
  /** Its Temporal is one that was named at its start: this shell need not know it. */
  isNamed: boolean;
}

async function doctor(
  deps: CliDeps,
  { fix = false, json }: { fix?: boolean; json?: boolean },
): Promise<ExitCode> {
  const { out } = deps;
  let looked = await withProgress(deps, 'looking', look(deps));
  const fixed = fix ? await mend(deps, looked.findings) : [];
  if (fixed.length > 0) looked = await withProgress(deps, 'looking again', look(deps));
  const { findings, isReachable } = looked;
  // A warning is for somebody's leisure; scripts are stopped by what is wrong.
  const isWell = findings.every(({ level }) => level !== 'error');
  if (json) writeJson(out, { ok: isWell, findings: findings.map(withoutFix), fixed });
  else out.write(renderFindings(findings, createStyle(out.hasColor)));
  if (isWell) return exitCodes.ok;
  return isReachable ? exitCodes.incomplete : exitCodes.unreachable;
}

async function look(deps: CliDeps): Promise<Look> {
  const { home, now } = deps;
  const { finding, config } = await checkConfig(home);
  const { findings, client, isReachable, isNamed } = await lookAtServer(deps);
  const hasHome = existsSync(home);
  const folder = config.backup.folder ?? homePaths(home).backups;
  const local = hasHome
    ? [
        ...(await checkStore(home, client, now)),
        ...(await checkCutRestore(home)),
        ...(await checkEngine(deps, config.engine, isNamed)),
        ...(await checkBackups(home, config.backup, now(), client !== null)),
        ...checkPermissions(home, process.getuid?.() ?? null),
        ...checkLauncher(home),
        ...checkLeftFiles(home),
        ...checkHooks(home, now(), client !== null),
        ...checkDisk([home, folder]),
        finding,
      ]
    : [noHome(home)];
  return { findings: [...findings, ...local], isReachable };
}

const noHome = (home: string) =>
  ill('error', 'home', {
    what: `there is no ${home}`,
    why: 'Nothing was ever started here.',
    remedy: 'offshoot up, or set OFFSHOOT_HOME to another folder',
  });

async function lookAtServer(deps: CliDeps): Promise<ServerLook> {
  try {
    const client = clientOf(deps);
    const health = await client.call('getHealth', {});
    const { usesNamedEngine } = await import('../../launcher/server-health.ts');
    const isNamed = usesNamedEngine(deps.home, health);
    const here = { url: client.url, version: deps.version, isNamed };
    const findings = [...checkHealth(health, here), ...checkRunners(await runnersOf(client))];
    return { findings, isReachable: health.engine.connected, client, isNamed };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const server = ill('error', 'server', {
      what: error.message,
      why: 'Nothing is accepted. Agents that run go on, and what they say waits for it.',
      remedy: remedyOf(error, 'offshoot status says what runs; server.log tells more'),
    });
    return { findings: [server], isReachable: false, client: null, isNamed: false };
  }
}

/** Each once, though several findings may have the same remedy. What fails is told, and stays a finding. */
async function mend(deps: CliDeps, findings: readonly Finding[]): Promise<string[]> {
  const done: string[] = [];
  for (const fix of new Set(findings.flatMap((one) => one.fix ?? []))) {
    try {
      done.push(await fix());
      tellLine(deps, `mended: ${done.at(-1)}`);
    } catch (error) {
      tellLine(deps, `not mended: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return done;
}

const withoutFix = ({ fix, ...finding }: Finding) => ({ ...finding, canFix: fix !== undefined });

/** None while the configuration has a mistake, which is a finding of its own. */
async function runnersOf(client: OffshootClient): Promise<RunnerInfo[]> {
  try {
    return (await client.call('listRunners', {})).runners;
  } catch (error) {
    if (error instanceof AppError && error.code === 'config_invalid') return [];
    throw error;
  }
}

/** Asked once: a doctor reports what is, and does not wait until it is better. */
function clientOf({ environment, home }: CliDeps): OffshootClient {
  const { url, token } = findServer(environment, home);
  return createClient({ url, token, retryMs: 0 });
}
