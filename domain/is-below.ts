/** Whether a path lies below a folder, by their names: both absolute, neither with `..` in it. */
export const isBelow = (folder: string, path: string): boolean => path.startsWith(within(folder));

/** With what every path below it begins. */
export const within = (folder: string): string => (folder.endsWith('/') ? folder : `${folder}/`);
