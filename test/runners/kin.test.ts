/** Who belongs to a run, and, as important, who does not: looks at machines that are made up. */
import { expect, test } from '@jest/globals';
import { Kin } from '../../runners/kin.ts';
import type { ProcessEntry } from '../../runners/processes.ts';

const entry = (pid: number, parentPid: number, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
  ...{ pid, parentPid, start: `at ${pid}`, group: pid, marker: null },
  ...more,
});
const known = [{ pid: 20, start: 'at 20' }];

test('descendants are found at any depth, in any order, and stay known when they lose their parents', () => {
  const kin = new Kin({ markers: [], known });
  expect(kin.find([entry(40, 30), entry(30, 20), entry(20, 10), entry(90, 80)])).toEqual([
    40, 30, 20,
  ]);
  expect(kin.find([entry(40, 1), entry(50, 40), entry(90, 80)])).toEqual([40, 50]);
});

test('what hides below a marked process is found, too', () => {
  const kin = new Kin({ markers: ['h/local/'] });
  expect(kin.find([entry(20, 1, { marker: 'h/local/sub_1/1' }), entry(30, 20)])).toEqual([20, 30]);
});

test('a number that another process has by now is not the one that was known, nor are its children and its group', () => {
  const reused = [entry(20, 1, { start: 'later' }), entry(30, 20), entry(31, 1, { group: 20 })];
  expect(new Kin({ markers: [], known }).find(reused)).toEqual([]);
  expect(new Kin({ markers: [], known, group: 20 }).find(reused)).toEqual([]);
  const kin = new Kin({ markers: [], known });
  expect(kin.find([entry(20, 10), entry(30, 20)])).toEqual([20, 30]);
  expect(kin.find([entry(30, 1, { start: 'later' }), entry(31, 30)])).toEqual([]);
});

test('a group is ended with its leader, and after it, but not one of which nothing is known', () => {
  const member = entry(30, 1, { group: 20 });
  const kin = new Kin({ markers: [], known });
  expect(kin.find([entry(20, 10), member])).toEqual([20, 30]);
  expect(kin.find([member, entry(31, 1, { group: 20 })])).toEqual([30, 31]);
  expect(kin.find([])).toEqual([]);
  expect(kin.find([entry(32, 1, { group: 20 })])).toEqual([]);
  expect(new Kin({ markers: [], known }).find([member])).toEqual([]);
});

test('the group in which a marked process was started by somebody else is left alone', () => {
  const kin = new Kin({ markers: ['h/local/'] });
  const shell = entry(20, 1);
  const marked = entry(30, 20, { group: 20, marker: 'h/local/sub_1/1' });
  expect(kin.find([shell, marked, entry(31, 20, { group: 20 })])).toEqual([30]);
});
