/** How the dev server is started. The measurements behind each flag are in docs/performance.md. */
import { expect, test } from '@jest/globals';
import { engineArguments } from '../../engine/engine-arguments.ts';

const options = {
  ...{ database: '/home/engine.db', host: '127.0.0.1', namespace: 'default' },
  ...{ port: 7233, uiPort: 8233, durable: false },
};

test('the command line of the engine is as it was', () => {
  expect(engineArguments(options).join(' ').replaceAll(' --', '\n--').split('\n')).toEqual([
    'server start-dev',
    '--db-filename /home/engine.db',
    '--ip 127.0.0.1',
    '--port 7233',
    '--ui-port 8233',
    '--namespace default',
    '--log-level warn',
    '--ui-disable-news-fetch',
    '--sqlite-pragma journal_mode=wal',
    '--sqlite-pragma synchronous=normal',
    '--dynamic-config-value history.transferProcessorMaxPollRPS=2000',
    '--dynamic-config-value history.timerProcessorMaxPollRPS=2000',
    '--dynamic-config-value history.visibilityProcessorMaxPollRPS=200',
    '--dynamic-config-value system.enableActivityEagerExecution=true',
  ]);
  expect(engineArguments({ ...options, durable: true })).toContain('synchronous=full');
});
