/** What the bare workflows do: nothing, or the same spawn as ours. */
import { tmpdir } from 'node:os';
import { Context } from '@temporalio/activity';
import { startProgram } from '../../runners/spawn.ts';

export interface Program {
  command: string;
  args: string[];
}

export interface Spawned {
  output: string;
  /** On the clock that all processes of the machine share; see `sharedClock`. */
  exitedAt: number;
}

/** Milliseconds since the machine was started: the same in every process. */
export const sharedClock = () => Number(process.hrtime.bigint()) / 1e6;

export type Activities = ReturnType<typeof createActivities>;

export function createActivities({ path }: { path: string }) {
  return {
    async step(): Promise<void> {},
    async spawnProgram({ command, args }: Program): Promise<Spawned> {
      const { workflowId } = Context.current().info.workflowExecution!;
      // Whoever waits for a child's end cannot ask for it before it has begun.
      process.send!({ begun: workflowId });
      const started = await startProgram({
        ...{ command, args, env: { PATH: path }, stdin: 'x' },
        ...{ invocationId: workflowId, runnerId: 'bare', workspacePath: tmpdir() },
      });
      if ('kind' in started) throw new Error(started.error ?? `${command} did not start`);
      started.stderr.resume();
      let output = '';
      started.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      const closed = new Promise((resolve) => started.stdout.once('close', resolve));
      const { code } = await started.exited;
      const exitedAt = sharedClock();
      if (code !== 0) throw new Error(`${command} ended with ${code}`);
      await closed;
      return { output, exitedAt };
    },
  };
}
