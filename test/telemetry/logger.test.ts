import { expect, test } from '@jest/globals';
import { readableLine, saidIn, type LogLevel } from '../../contract/log.ts';
import { createLogger } from '../../telemetry/logger.ts';

function logger(level: () => LogLevel = () => 'info') {
  const lines: string[] = [];
  const log = createLogger({ process: 'server', level, write: (line) => lines.push(line) });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

test('a line is one JSON object with time, level, process, and the ids of what it is about', () => {
  const { log, lines, last } = logger();
  log('claim of sub_1: no\nanswer', { invocation: 'sub_1', session: 'ses_1', run: 2 });
  expect(lines).toHaveLength(1);
  expect(lines[0]!.endsWith('}\n')).toBe(true);
  const { time, ...rest } = last();
  expect(new Date(String(time)).toISOString()).toBe(time);
  expect(rest).toEqual({
    level: 'warn',
    process: 'server',
    invocation: 'sub_1',
    session: 'ses_1',
    run: 2,
    msg: 'claim of sub_1: no answer',
  });
});

test('a message of megabytes, and one of characters that JSON has to write out, have an end', () => {
  const { log, lines, last } = logger();
  log('history '.repeat(500_000), { session: 's'.repeat(5000) });
  expect(lines[0]!.length).toBeLessThan(3000);
  expect(last()['msg']).toContain('(4000000 characters)');
  log('\u0001'.repeat(500_000));
  expect(lines[1]!.length).toBeLessThan(13_000);
});

test('a token never gets into a line, whoever put it into the message', () => {
  const { log, lines } = logger();
  log('GET failed: authorization: Bearer sk-abc123, token off_eyJyb2xlIjoiYWRtaW4ifQ.c2lnbmF0dXJl');
  expect(lines[0]).not.toMatch(/sk-abc123|eyJyb2xl|c2lnbmF0/);
  expect(lines[0]).toContain('GET failed');
});

test('the level is asked for with each line, and one that cannot be known is info', () => {
  let level = (): LogLevel => 'error';
  const { log, lines } = logger(() => level());
  log('trouble');
  expect(lines).toEqual([]);
  log('worse', { level: 'error' });
  level = () => 'warn';
  log('trouble again');
  log('all is well', { level: 'info' });
  expect(lines.map(saidIn)).toEqual(['worse', 'trouble again']);
  level = () => {
    throw new Error('the configuration has a mistake');
  };
  log('all is well', { level: 'info' });
  expect(lines.slice(2).map(saidIn)).toEqual(['all is well']);
});

test('a person reads time, level, process and message; lines of others stay as they are', () => {
  const { log, lines, last } = logger();
  log('the port is taken', { level: 'error' });
  expect(readableLine(lines[0]!)).toBe(`${String(last()['time'])} error server: the port is taken`);
  for (const other of ['{"half":', '{"level":"info","other":1}', 'panic: engine', '']) {
    expect([readableLine(other), saidIn(other)]).toEqual([other, other]);
  }
});
