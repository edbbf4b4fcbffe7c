/** Whether a path lies below a folder, by their names: both absolute, neither with `..` in it. */
export const isBelow = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);
