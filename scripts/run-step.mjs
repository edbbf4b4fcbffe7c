/** Runs a program, quietly while it is quick, with a line of progress every ten seconds when it is not. */
import { spawn } from 'node:child_process';

const tellEveryMs = 10_000;
const tailCharsMax = 8_000;

/** Answers its exit code and the end of its output. */
export function runStep(title, command, args, { env = process.env, expect = '', cwd } = {}) {
  return new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let tail = '';
    const keep = (chunk) => {
      tail = (tail + chunk).slice(-tailCharsMax);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const timer = setInterval(() => {
      const seconds = Math.round((Date.now() - started) / 1000);
      console.log(`  ${title}: ${seconds} s${expect ? ` (${expect})` : ''}`);
    }, tellEveryMs);
    child.on('error', (error) => {
      clearInterval(timer);
      resolve({ code: 127, tail: `${command}: ${error.message}` });
    });
    child.on('close', (code, signal) => {
      clearInterval(timer);
      resolve({ code: code ?? 1, tail: signal ? `${tail}\nended by ${signal}` : tail });
    });
  });
}
