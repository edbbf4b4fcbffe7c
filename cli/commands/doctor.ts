/** `doctor`: looks at everything, and says for each thing that is wrong what to do. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { createClient, discover, type OffshootClient } from '../../client/index.ts';
import { AppError } from '../../contract/errors.ts';
import type { RunnerInfo } from '../../contract/records.ts';
import type { Cli, CliDeps } from '../deps.ts';
import { checkConfig, checkHomeFiles } from '../doctor/files.ts';
import { checkHealth, checkRunners } from '../doctor/health.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { jsonOption } from '../option-values.ts';
import { withProgress } from '../progress.ts';
import { renderFindings, type Finding } from '../render/findings.ts';
import { createStyle } from '../render/style.ts';
import { writeJson } from '../write-json.ts';

export function addDoctorCommand(program: Command, { action }: Cli): void {
  program
    .command('doctor')
    .description('check server, engine, runner hosts, files and configuration')
    .addOption(jsonOption())
    .action(action(doctor));
}

async function doctor(deps: CliDeps, { json }: { json?: boolean }): Promise<ExitCode> {
  const { out } = deps;
  const { findings, isReachable } = await withProgress(deps, 'looking', look(deps));
  const isWell = findings.every(({ isGood }) => isGood);
  if (json) writeJson(out, { ok: isWell, findings });
  else out.write(renderFindings(findings, createStyle(out.hasColor)));
  if (isWell) return exitCodes.ok;
  return isReachable ? exitCodes.incomplete : exitCodes.unreachable;
}

async function look(deps: CliDeps): Promise<{ findings: Finding[]; isReachable: boolean }> {
  const { home } = deps;
  const local = existsSync(home)
    ? [...checkHomeFiles(home), await checkConfig(home)]
    : [{ name: 'home', isGood: false, detail: `there is no ${home}`, remedy: 'offshoot up' }];
  try {
    const client = clientOf(deps);
    const health = await client.call('getHealth', {});
    const here = { url: client.url, version: deps.version };
    const runners = checkRunners(await runnersOf(client));
    const findings = [...checkHealth(health, here), ...runners, ...local];
    return { findings, isReachable: health.engine.connected };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, hint } = error;
    const server = { name: 'server', isGood: false, detail: message, remedy: hint };
    return { findings: [server, ...local], isReachable: false };
  }
}

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
function clientOf({ environment: { url, token }, home }: CliDeps): OffshootClient {
  const server = url !== null && token !== null ? { url, token } : discover(home);
  return createClient({ url: server.url, token: server.token, retryMs: 0 });
}
