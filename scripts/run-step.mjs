/** One step of setup or build: quiet while it is quick, then what it is and how long it takes. */
import { spawn } from 'node:child_process';

/** On a terminal one line counts the seconds; in a log each line must be worth its place. */
const countEveryMs = 1_000;
const tellEveryMs = 30_000;
const tailCharsMax = 8_000;
const clearLine = '\r\u001B[2K';

/**
 * Runs `work`, and leaves one line with its seconds. `remark` is for a step that may take long: that is told in a log
 * as soon as it begins, too, and the remark while it goes on, only once.
 */
export async function tellStep({ title, remark = '' }, work, out = process.stdout) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  let left = remark;
  if (out.isTTY) out.write(`${title} …`.slice(0, (out.columns ?? 80) - 1));
  else if (remark !== '') out.write(`${title} …\n`);
  const timer = setInterval(
    () => {
      const line = `${title}: ${seconds()} so far${left === '' ? '' : ` (${left})`}`;
      // A line that wraps is cleared only in its last row.
      out.write(out.isTTY ? `${clearLine}${line.slice(0, (out.columns ?? 80) - 1)}` : `${line}\n`);
      if (!out.isTTY) left = '';
    },
    out.isTTY ? countEveryMs : tellEveryMs,
  );
  try {
    const answer = await work();
    out.write(`${out.isTTY ? clearLine : ''}${title}: ${seconds()}\n`);
    return answer;
  } catch (error) {
    if (out.isTTY) out.write(clearLine);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Answers a program's exit code and the end of its output, of which it shows nothing. */
export function runProgram(command, args, { env = process.env, cwd } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let tail = '';
    const keep = (chunk) => {
      tail = (tail + chunk).slice(-tailCharsMax);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ code: 127, tail: `${command}: ${error.message}` }));
    child.on('close', (code, signal) => {
      resolve({ code: code ?? 1, tail: signal ? `${tail}\nended by ${signal}` : tail });
    });
  });
}
