import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { limits } from '../../../contract/limits.ts';
import { readTranscript } from '../../../operations/hooks/read-transcript.ts';
import { snapshotOf } from '../../../store/snapshots.ts';
import { refusal } from '../operations-fixture.ts';
import { line, withHooks } from './hooks-fixture.ts';

test('a path is read below the allowed folders only, and what came inline is kept all the same [signet 57]', async () => {
  await withHooks(async (room) => {
    const staging = join(room.home, 'staging');
    const inside = room.stage('fine.jsonl', line('user', 'from the file'));
    const outside = join(room.home, 'outside.jsonl');
    writeFileSync(outside, line('user', 'SECRET'));
    symlinkSync(outside, join(staging, 'link.jsonl'));
    symlinkSync(room.home, join(staging, 'folder'));
    mkdirSync(join(staging, 'a-folder'));
    // Its name begins like that of an allowed folder.
    const beside = join(room.home, 'staging-of-another');
    mkdirSync(beside);
    writeFileSync(join(beside, 'is-there.jsonl'), line('user', 'SECRET'));
    execFileSync('mkfifo', [join(staging, 'pipe')]);
    const huge = room.stage('huge.jsonl', '');
    truncateSync(huge, limits.transcriptBytesMax + 1);
    const many = room.stage('many.jsonl', '\n'.repeat(limits.transcriptLinesMax + 1));
    const cases: [string, string][] = [
      [outside, 'transcript_refused'],
      [join(staging, '..', 'outside.jsonl'), 'transcript_refused'],
      [join(staging, 'link.jsonl'), 'transcript_refused'],
      [join(staging, 'folder', 'outside.jsonl'), 'transcript_refused'],
      ['/nowhere/at/all', 'transcript_refused'],
      [join(beside, 'is-there.jsonl'), 'transcript_refused'],
      [join(beside, 'is-not.jsonl'), 'transcript_refused'],
      ['relative.jsonl', 'bad_request'],
      [`/${'x'.repeat(limits.pathCharsMax)}`, 'bad_request'],
      [join(staging, 'a\0b'), 'bad_request'],
      [join(staging, 'a-folder'), 'transcript_not_a_file'],
      [join(staging, 'pipe'), 'transcript_not_a_file'],
      [huge, 'transcript_too_large'],
      [many, 'transcript_too_large'],
      [join(staging, 'missing.jsonl'), 'not refused'],
      [inside, 'not refused'],
    ];
    for (const [index, [transcriptPath, code]] of cases.entries()) {
      const call = room.prompt('s1', `prompt ${index}`, { transcriptPath });
      expect([transcriptPath, await refusal(call)]).toEqual([transcriptPath, code]);
      // What to do about it is told, and that beside it a transcript may come inline: then no path is looked at.
      if (code !== 'not refused') {
        const toDo = /hooks\.transcriptRoots|inline as `transcript`/;
        await expect(call).rejects.toMatchObject({ hint: expect.stringMatching(toDo) });
      }
      const more = { transcriptPath, transcript: line('user', `inline ${index}`) };
      const key = `beside ${index}`;
      expect([transcriptPath, await refusal(room.prompt(key, 'hello', more))]).toEqual([
        ...[transcriptPath, 'not refused'],
      ]);
      expect(room.said(key)).toEqual([`user: inline ${index}`, 'user: hello']);
    }
    const said = room.said('s1').join('\n');
    for (const index of cases.keys()) expect(said).toContain(`prompt ${index}`);
    expect(said).toContain('from the file');
    expect(said).not.toContain('SECRET');
  });
});

test('a transcript that should be there and is not is told, where the session ends', async () => {
  await withHooks(async (room) => {
    const transcriptPath = join(room.home, 'staging', 'missing.jsonl');
    room.stage('other', '');
    const end = room.ask('hookSessionEnd', { harness: 'codex', sessionKey: 's1', transcriptPath });
    expect(await refusal(end)).toBe('not_found');
    expect(room.session('s1')!.ended_at).not.toBeNull();
  });
});

test('too many lines inline are told, and the prompt beside them is kept', async () => {
  await withHooks(async (room) => {
    const transcript = `${line('user', 'x')}${'a\n'.repeat(limits.transcriptLinesMax)}`;
    expect(await refusal(room.prompt('s1', 'hello', { transcript }))).toBe('transcript_too_large');
    expect(room.said('s1')).toEqual(['user: hello']);
  });
});

test('inline goes before the path', async () => {
  await withHooks(async (room) => {
    const transcriptPath = room.stage('one.jsonl', line('user', 'from the file'));
    await room.report('s1', line('user', 'inline'), { transcriptPath });
    expect(room.said('s1')).toEqual(['user: inline']);
  });
});

test('of a file that has grown only the last known block and the rest is read', async () => {
  await withHooks(async (room) => {
    const many = Array.from({ length: 2000 }, (_, n) =>
      line('user', `message ${n} ${'x'.repeat(50)}`),
    );
    const path = room.stage('long.jsonl', many.join(''));
    await room.prompt('s1', 'first', { transcriptPath: path });
    const more = line('assistant', 'the end');
    appendFileSync(path, more);
    const known = snapshotOf(room.session('s1')!)!;
    const given = await readTranscript(path, room.deps.transcriptRoots(), known);
    expect(given!.content.from(0).length).toBeLessThanOrEqual(16 * 1024 + more.length);
    await room.prompt('s1', 'second', { transcriptPath: path });
    expect(room.said('s1').slice(-3)).toEqual([
      'assistant: the end',
      'user: first',
      'user: second',
    ]);
    expect(room.said('s1')).toHaveLength(2003);
  });
});

test('a file that was written anew is read whole, and what is left of it before is kept', async () => {
  await withHooks(async (room) => {
    const path = room.stage('a.jsonl', line('user', 'one') + line('assistant', 'two'));
    await room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcriptPath: path });
    writeFileSync(path, line('user', 'one') + line('assistant', 'another') + line('user', 'three'));
    await room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcriptPath: path });
    expect(room.said('s1')).toEqual(['user: one', 'assistant: another', 'user: three']);
    expect(room.all('s1')).toEqual([
      'user: one',
      'assistant: two',
      'mark: branch: the transcript leaves turn 2 and goes another way',
      'assistant: another',
      'user: three',
    ]);
    // Going back to where it was before adds nothing: those turns are there.
    writeFileSync(path, line('user', 'one') + line('assistant', 'two') + line('user', 'four'));
    await room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcriptPath: path });
    expect(room.said('s1')).toEqual(['user: one', 'assistant: two', 'user: four']);
    expect(room.all('s1').filter((turn) => turn === 'assistant: two')).toHaveLength(1);
  });
});

test('a shorter snapshot is noted once, and leaves what is known [signet 16]', async () => {
  await withHooks(async (room) => {
    const all = line('user', 'one') + line('assistant', 'two') + line('user', 'three');
    await room.report('s1', all);
    for (let times = 0; times < 2; times += 1) await room.report('s1', line('user', 'one'));
    expect(room.said('s1')).toEqual(['user: one', 'assistant: two', 'user: three']);
    expect(room.all('s1').filter((turn) => turn.startsWith('mark: branch'))).toHaveLength(1);
    await room.report('s1', all + line('assistant', 'four'));
    expect(room.said('s1').slice(-1)).toEqual(['assistant: four']);
    expect(room.said('s1')).toHaveLength(4);
  });
});

test('a line that its program is still writing is taken when it is whole', async () => {
  await withHooks(async (room) => {
    const whole = line('assistant', 'a long answer');
    const path = room.stage('a.jsonl', line('user', 'one') + whole.slice(0, 20));
    const stop = () =>
      room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcriptPath: path });
    await stop();
    expect(room.all('s1')).toEqual(['user: one']);
    appendFileSync(path, whole.slice(20));
    await stop();
    expect(room.all('s1')).toEqual(['user: one', 'assistant: a long answer']);
    // Nothing more comes when the session is over: what there is of it is kept.
    appendFileSync(path, '{"type":"user","mess');
    await stop();
    expect(room.all('s1')).toHaveLength(2);
    const end = { harness: 'claude-code', sessionKey: 's1', transcriptPath: path };
    await room.ask('hookSessionEnd', end);
    expect(room.all('s1').slice(2)).toEqual(['mark: {"type":"user","mess', 'mark: ended']);
  });
});

test('another file is read from its beginning, also where it ends like the one before', async () => {
  await withHooks(async (room) => {
    const said = Array.from({ length: 600 }, (_, n) => line('user', `message ${100 + n}`));
    const path = room.stage('a.jsonl', said.join(''));
    const stop = () =>
      room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', transcriptPath: path });
    await stop();
    const other = room.stage('b.jsonl', said.join('').replace('message 103', 'message one'));
    renameSync(other, path);
    appendFileSync(path, line('assistant', 'the end'));
    await stop();
    const now = room.said('s1');
    expect(now.slice(2, 5)).toEqual([
      'user: message 102',
      'user: message one',
      'user: message 104',
    ]);
    expect([now.length, now.at(-1)]).toEqual([601, 'assistant: the end']);
    // The same file, in which something was put in early: its last known block is not where it was.
    const words = 'message that was put in';
    const shifted = said.toSpliced(300, 0, line('assistant', words));
    writeFileSync(path, shifted.join('') + line('assistant', 'the end'));
    await stop();
    const then = room.said('s1');
    expect([then.length, then[300]]).toEqual([602, `assistant: ${words}`]);
  });
});

test('plain text in which the last answer has grown has one answer, and a new speaker is a new turn', async () => {
  await withHooks(async (room) => {
    const text = 'User: list them\nAssistant: the first';
    const grown = `${text}\nthe second`;
    const more = `${grown}\nUser: thanks`;
    for (const transcript of [text, grown, grown, more]) await room.report('s1', transcript);
    expect(room.said('s1')).toEqual([
      'user: list them',
      'assistant: the first\nthe second',
      'user: thanks',
    ]);
  });
});

test('a hook costs the same in a long session whose file tells each turn after its hooks have', async () => {
  await withHooks(async (room) => {
    const tool = (id: string) =>
      line('assistant', [{ type: 'tool_use', id, name: 'Bash', input: {} }] as never);
    const changes = () => room.store.db.get<{ n: number }>('SELECT total_changes() AS n')!.n;
    const costOf = async (sessionKey: string, lines: number) => {
      const said = Array.from({ length: lines }, (_, n) =>
        line(n % 2 === 0 ? 'user' : 'assistant', `message ${n}`),
      );
      const transcriptPath = room.stage(`${sessionKey}.jsonl`, said.join(''));
      await room.ask('hookStop', { harness: 'claude-code', sessionKey, transcriptPath });
      const times = [];
      const written = [];
      for (let n = 0; n < 15; n += 1) {
        const before = changes();
        const began = performance.now();
        await room.prompt(sessionKey, `prompt ${n} here`, { transcriptPath });
        times.push(performance.now() - began);
        written.push(changes() - before);
        const answer = { lastAssistantMessage: `answer ${n} here`, idempotencyKey: `k${n}` };
        await room.ask('hookStop', { harness: 'claude-code', sessionKey, ...answer });
        appendFileSync(
          transcriptPath,
          line('user', `prompt ${n} here`) + tool(`t${n}`) + line('assistant', `answer ${n} here`),
        );
      }
      const turn = (n: number) => [
        `user: prompt ${n} here`,
        'tool: Bash {}',
        `assistant: answer ${n} here`,
      ];
      const turns = Array.from({ length: 14 }, (_, n) => turn(n)).flat();
      expect(room.said(sessionKey).slice(lines, -2)).toEqual(turns);
      // The fastest: what else the machine does makes none of them faster.
      return { ms: Math.min(...times), written: written.slice(3, 9) };
    };
    // Of as many prompts modulo ten, that checkpoints come at the same.
    const short = await costOf('short', 20);
    const long = await costOf('long', 20_000);
    expect(new Set([...short.written, ...long.written]).size).toBe(1);
    expect(long.ms / short.ms).toBeLessThan(10);
  });
});

test('what a transcript notes of the session is kept once, also where its turns were put in another order', async () => {
  await withHooks(async (room) => {
    const note = `${JSON.stringify({ type: 'system', subtype: 'note', content: 'noted' })}\n`;
    const tool = `${JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] } })}\n`;
    await room.prompt('s1', 'what is there?');
    const answer = { lastAssistantMessage: 'two files are there' };
    await room.ask('hookStop', { harness: 'claude-code', sessionKey: 's1', ...answer });
    const transcript =
      line('user', 'what is there?') +
      note +
      tool +
      line('assistant', 'two files are there') +
      note;
    await room.report('s1', transcript);
    // Not as it was to the byte: all of it is read again.
    await room.report('s1', ` ${transcript}${line('user', 'and now?')}`);
    expect(room.all('s1').filter((turn) => turn.startsWith('mark'))).toHaveLength(2);
    expect(room.said('s1')).toEqual([
      ...['user: what is there?', 'tool: Bash {}', 'assistant: two files are there'],
      'user: and now?',
    ]);
  });
});

test('what is appended to a file is all said, also where it begins with words that were said before', () =>
  withHooks(async (room) => {
    const [go, done] = [line('user', 'continue'), line('assistant', 'Done.')];
    await room.report('main', line('user', 'begin') + go + done + go);
    // A new file that has the last words only, as after a compaction; and then it grows.
    const transcriptPath = room.stage('new.jsonl', go);
    const read = () =>
      room.ask('hookSessionCheckpointExtract', {
        ...{ harness: 'claude-code', sessionKey: 'main', transcriptPath },
      });
    await read();
    appendFileSync(transcriptPath, done + go + done);
    await read();
    const said = ['continue', 'Done.', 'continue', 'Done.', 'continue', 'Done.'];
    const spoken = said.map((text) => `${text === 'Done.' ? 'assistant' : 'user'}: ${text}`);
    expect(room.said('main')).toEqual(['user: begin', ...spoken]);
  }));
