/** Stand-ins for `temporal` and `go`: shell scripts, because the real ones take minutes to make. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function writeProgram(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

export function fakeTemporal(path: string, version = '1.8.2', server = '1.31.2'): string {
  return writeProgram(path, `echo "temporal version ${version} (Server ${server}, UI 2.50.1)"`);
}

/** A `go` that notes each call and leaves a fake binary where `-o` says. */
export function fakeGo(folder: string, { seconds = 0, version = '1.8.2' } = {}): string {
  const log = join(folder, 'go.log');
  writeProgram(
    join(folder, 'go'),
    // Only what is compiled is noted: the download of modules comes before each.
    `if [ "$1" = mod ]; then exit 0; fi
echo "$@" >> '${log}'
sleep ${seconds}
cat > "$3" <<'END'
#!/bin/sh
echo "temporal version ${version} (Server 1.31.2, UI 2.50.1)"
END`,
  );
  return log;
}

export function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
