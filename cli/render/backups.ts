/** The backups there are, as a table. */
import type { Backup } from '../../contract/system-records.ts';
import { formatBytes } from './bytes.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';

export type ListedBackup = Pick<Backup, 'file' | 'takenAt' | 'bytes'>;

/** The file stands last, whole: it is what `restore` is given. */
export function renderBackups(
  backups: readonly ListedBackup[],
  { style, width }: { style: Style; width: number },
): string {
  return renderTable(
    [{ title: 'TAKEN' }, { title: 'SIZE', isRight: true }, { title: 'FILE' }],
    backups.map(({ file, takenAt, bytes }) => [
      { text: `${takenAt.slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z` },
      { text: formatBytes(bytes) },
      { text: file },
    ]),
    { width, head: style.dim },
  );
}
