import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { tellFate } from '../../cli/up-in-foreground.ts';
import { answerJson, withFakeServer } from '../client/fake-server.ts';
import { withFolder } from '../support/folder.ts';
import { writeServerFile } from './cli-harness.ts';
import { health } from './doctor-fixture.ts';

test.each([
  [true, '\nStopping.\n'],
  [false, 'Stopping.\n'],
])(
  'Ctrl-C is headed at once, on a line of its own (terminal: %p), whatever the server takes to say',
  (isTerminal, heading) =>
    withFolder((home) =>
      withFakeServer(
        (_, response) => answerJson(response, health),
        async ({ url }) => {
          writeServerFile(home, { url, pid: spawnSync('true').pid });
          let said = '';
          const write = (text: string) => void (said += text);
          const err = { write, isTerminal, hasColor: false, columns: 80 };
          const told = tellFate({ home, err });
          expect(said).toBe(heading);
          await told;
          expect(said.slice(heading.length)).toMatch(
            /^2 agents are running and will be asked to stop; .*\n$/,
          );
        },
      ),
    ),
);
