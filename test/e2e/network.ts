/** Ways between a runner host and its server that a test can cut: a proxy, or a network namespace. */
import { execFileSync } from 'node:child_process';
import { createServer, connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Network {
  /** What stands before a command that is to run at the far end. */
  prefix: string[];
  /** The server's address, as the far end reaches it. */
  url(server: string): string;
  /** From here on nothing gets through in either direction, and nobody is told. */
  cut(): void;
  heal(): void;
  close(): Promise<void>;
}

/** Names and a private range of this process's own: tests of another clone may run beside. */
const own = process.pid % 16_384;
const range = `10.213.${own >> 6}.${(own & 63) * 4}`;
const nth = (n: number) => range.replace(/\d+$/, (last) => String(Number(last) + n));
const serverEnd = { address: nth(1), link: `off${own}s` };
const farEnd = { address: nth(2), link: `off${own}f`, namespace: `offshoot-${own}` };

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] });

/** Whether this machine lets us make a network of its own: that needs root, and `ip` of iproute2. */
export function namespaceProblem(): string | null {
  try {
    ip('netns', 'add', farEnd.namespace);
    ip('netns', 'del', farEnd.namespace);
    return null;
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error).trim() || String(error);
  }
}

/** The far end has its own network; a cable of two virtual ends leads to it. */
export function openNamespace(): Network & { listen: string } {
  const { namespace } = farEnd;
  const inside = (...args: string[]) => ip('netns', 'exec', namespace, 'ip', ...args);
  ip('netns', 'add', namespace);
  try {
    ip('link', 'add', serverEnd.link, 'type', 'veth', 'peer', 'name', farEnd.link);
    ip('link', 'set', farEnd.link, 'netns', namespace);
    ip('addr', 'add', `${serverEnd.address}/30`, 'dev', serverEnd.link);
    ip('link', 'set', serverEnd.link, 'up');
    inside('link', 'set', 'lo', 'up');
    inside('addr', 'add', `${farEnd.address}/30`, 'dev', farEnd.link);
    inside('link', 'set', farEnd.link, 'up');
  } catch (error) {
    ip('netns', 'del', namespace);
    throw error;
  }
  return {
    listen: serverEnd.address,
    prefix: ['ip', 'netns', 'exec', namespace],
    url: (server) => `http://${serverEnd.address}:${new URL(server).port}`,
    cut: () => void ip('link', 'set', serverEnd.link, 'down'),
    heal: () => void ip('link', 'set', serverEnd.link, 'up'),
    // Its end of the cable goes with it, and with that ours.
    close: async () => void ip('netns', 'del', namespace),
  };
}

/** A proxy on loopback that swallows all when it is cut: connections stay open, and nothing is said. */
export async function openProxy(server: string): Promise<Network> {
  const { port: target } = new URL(server);
  const sockets = new Set<Socket>();
  let isCut = false;
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => void (isCut || to.write(bytes)));
    from.on('close', () => {
      sockets.delete(from);
      if (!isCut) to.destroy();
    });
    from.on('error', () => {});
  };
  const proxy = createServer((near) => {
    const far = connect(Number(target), '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket);
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    prefix: [],
    url: () => `http://127.0.0.1:${port}`,
    cut: () => void (isCut = true),
    heal: () => {
      // What was lost of a stream cannot be made good: those who talk begin anew.
      for (const socket of sockets) socket.destroy();
      isCut = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
