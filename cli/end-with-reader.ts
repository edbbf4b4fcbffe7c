/** What becomes of a command whose output nobody reads any more: `| head` has seen enough, or its terminal was closed. */
const readerIsGone: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO']);

/** It ends at once; one that holds a stack does so in order, as it would by the signal that a closed terminal sends. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!readerIsGone.has(error.code)) throw error;
      if (!process.emit('SIGHUP', 'SIGHUP')) process.exit(0);
    });
  }
}
