/** How a run ended, decided in one place: what we asked for first, then the parsed result, then the exit. */
import type { EndingErrorCode } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import type { CommandRunner, Outcome } from '../contract/run.ts';
import type { HeadAndTail } from './head-and-tail.ts';
import { readAnswer, type Answer } from './json-answer.ts';
import { storable, tailOf, withoutTrailingNewlines } from './storable-text.ts';

/** What we did to the program before it ended by itself. */
export type StopReason = { kind: 'timed_out' } | { kind: 'cancelled'; why: string };

export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stopped: StopReason | null;
  stdout: HeadAndTail;
  stderr: HeadAndTail;
}

export function judge(runner: CommandRunner, ended: Ended): Outcome {
  const { exitCode, signal } = ended;
  const output = withoutTrailingNewlines(ended.stdout.text(leftOut));
  const answer: Answer =
    runner.result === 'json'
      ? readAnswer(ended.stdout, runner.resultPath)
      : { kind: 'answer', content: output, tokenUsage: null, isError: null, complaint: null };
  const said = answer.kind === 'answer' ? answer.content : null;
  const partial = said ?? output;
  const base = {
    content: isBlank(partial) ? null : partial,
    tokenUsage: answer.kind === 'answer' ? answer.tokenUsage : null,
    exitCode,
    signal,
  };
  const fail = (errorCode: EndingErrorCode, error: string, errorHint: string | null = null) =>
    failed(errorCode, error, errorHint, base);

  if (ended.stopped !== null) return { ...base, ...stopped(ended.stopped, runner) };
  if (signal !== null) {
    return fail('killed_by_signal', withStderr(`was killed by ${signal}`, ended.stderr));
  }
  // An answer that says of itself whether it is one counts more than the exit code, either way.
  if (answer.kind === 'answer' && answer.isError === true) {
    const message = said !== null && !isBlank(said) ? said : answer.complaint;
    return fail('agent_error', message ?? 'the agent reported an error');
  }
  const isSureOfItself = answer.kind === 'answer' && answer.isError === false && said !== null;
  if (exitCode !== 0 && !isSureOfItself) {
    return fail('exit_nonzero', withStderr(`exited with code ${exitCode}`, ended.stderr));
  }
  if (isBlank(output)) return fail('empty_result', 'ended without an answer', emptyHint);
  if (answer.kind === 'invalid') return fail('invalid_result', answer.problem, invalidHint(runner));
  if (said === null) {
    return fail('invalid_result', 'the answer has nothing at resultPath', invalidHint(runner));
  }
  if (isBlank(said)) return fail('empty_result', 'ended with a blank answer', emptyHint);
  return {
    ...base,
    kind: 'succeeded',
    content: said,
    error: null,
    errorCode: null,
    errorHint: null,
  };
}

export function failed(
  errorCode: EndingErrorCode,
  error: string,
  errorHint: string | null = null,
  rest: Partial<Outcome> = {},
): Outcome {
  return {
    content: null,
    tokenUsage: null,
    exitCode: null,
    signal: null,
    ...rest,
    kind: 'failed',
    error: storable(tailOf(error, limits.errorCharsMax)),
    errorCode,
    errorHint,
  };
}

export function stopped(reason: StopReason, runner: CommandRunner) {
  if (reason.kind === 'timed_out') {
    return {
      kind: reason.kind,
      error: `did not end within ${runner.timeoutSeconds} s`,
      errorCode: 'turn_timeout' as const,
      errorHint: `Raise runners.${runner.id}.timeoutSeconds in the configuration if it needs longer.`,
    };
  }
  const error = reason.why === 'cancelled' ? 'the run was cancelled' : `stopped: ${reason.why}`;
  return { kind: reason.kind, error, errorCode: 'cancelled' as const, errorHint: null };
}

const emptyHint = 'The program must print its answer to stdout; stderr is for progress.';

function invalidHint(runner: CommandRunner): string {
  return `\`offshoot transcript <id>\` shows what it printed. Check result and resultPath of runners.${runner.id}.`;
}

function leftOut(bytes: number): string {
  return `[… ${bytes} bytes are left out here; the transcript has what was kept of them …]`;
}

function withStderr(what: string, stderr: HeadAndTail): string {
  const said = withoutTrailingNewlines(stderr.tail()).trim();
  if (said === '') return what;
  const before = stderr.leftOutBytes > 0 ? '…' : '';
  return `${what}: ${tailOf(before + said, limits.errorCharsMax - what.length - 2)}`;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
