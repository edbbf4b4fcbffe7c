import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { LogAbout } from '../../contract/log.ts';
import { sdkLog } from '../../worker/sdk-runtime.ts';

const noWorkflows = 'No workflows registered, not polling for workflow tasks';

function said(level: 'WARN' | 'ERROR', message: string, meta = {}) {
  const lines: [string, LogAbout | undefined][] = [];
  sdkLog((line, about) => lines.push([line, about]))({ level, message, meta });
  return lines;
}

test('that a runner host polls for no workflows is no warning, and nor is an agent that fails', () => {
  expect(said('WARN', noWorkflows)).toEqual([]);
  expect(said('WARN', 'Workflow failed')).toEqual([]);
});

test('all else that the SDK warns of is logged, with whom it is about', () => {
  const meta = { workflowId: 'subagent/i1' };
  expect(said('WARN', 'slow', meta)).toEqual([['slow', { level: 'warn', invocation: 'i1' }]]);
  expect(said('ERROR', 'No workflows')).toEqual([['No workflows', { level: 'error' }]]);
});

test('the SDK still says it in these words', () => {
  const source = readFileSync(require.resolve('@temporalio/worker/lib/worker.js'), 'utf8');
  expect(source).toContain(`'${noWorkflows}'`);
});
