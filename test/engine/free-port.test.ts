import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { pickPort } from '../../engine/free-port.ts';

const host = '127.0.0.1';

/** A port that is taken for as long as the work lasts. */
async function withTaken(work: (port: number) => Promise<void>): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  try {
    await work(typeof address === 'object' ? address!.port : 0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A system that gives these ports, one after the other, and any other one to whoever names it. */
const giving = (ports: number[]) => {
  const left = [...ports];
  return async (_: string, port: number) => (port === 0 ? (left.shift() ?? null) : port);
};

test('the wanted port is given if it is free, else another one', async () => {
  const free = await pickPort(host, null, null);
  expect(await pickPort(host, free, null)).toBe(free);
  await withTaken(async (taken) => {
    const found = await pickPort(host, taken, null);
    expect(found).not.toBe(taken);
    expect(found).toBeGreaterThan(0);
  });
});

test('the other port of the two is never given, though it is free and the system offers it again', async () => {
  expect(await pickPort(host, null, 5000, giving([5000, 5000, 5001]))).toBe(5001);
  expect(await pickPort(host, 5000, 5000, giving([5000, 5001]))).toBe(5001);
  expect(await pickPort(host, 5002, 5000, giving([]))).toBe(5002);
});

test('where no port can be had, that is said', async () => {
  await expect(pickPort(host, null, null, giving([]))).rejects.toThrow(`no free port on ${host}`);
  const same = async () => 5000;
  await expect(pickPort(host, null, 5000, same)).rejects.toThrow(`no free port on ${host}`);
});
