/** Fields that many requests have: each is checked in one way. */
import { z } from 'zod';
import { limits } from './limits.ts';
import { isPathPart, pathPartWords } from './path-part.ts';

/** Half a character cannot be written as UTF-8: it would be stored and hashed as something else. */
export const textSchema = z
  .string()
  .refine((given) => given.isWellFormed(), 'is not well-formed Unicode');
export const idSchema = textSchema.min(1).max(limits.keyCharsMax);
/** How long it may be, and of what, is said of the words as they were sent: so says the document, too. */
export const keySchema = textSchema
  .max(limits.keyCharsMax)
  // Spelled out, because readers of the OpenAPI document know fewer classes than we do.
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'must not hold control characters')
  .trim()
  .min(1)
  .refine(isPathPart, pathPartWords)
  .refine(
    (given) => Buffer.byteLength(given) <= limits.keyBytesMax,
    `must not be longer than ${limits.keyBytesMax} bytes`,
  );
/** Of a session key, however it is given: some programs write `session:` before it. */
export const bareKey = (given: string): string => given.replace(/^(?:session:)+/, '');
export const sessionKeySchema = keySchema.transform(bareKey).pipe(keySchema);
export const noNul = 'must not hold NUL';
export const pathSchema = textSchema
  .min(1)
  .max(limits.pathCharsMax)
  .regex(/^[^\u0000]+$/, noNul);
/** One folder, however it is written: `/repo/` and `/repo/a/..` are `/repo`. One of another system stays as it is. */
export const projectSchema = pathSchema.overwrite((folder) =>
  folder.startsWith('/') ? withoutDots(folder) : folder.replace(/(?<=.)\/+$/, ''),
);

export const promptSchema = textSchema.refine(
  (given) => given.trim() !== '',
  'must not be empty or blank',
);
export const titleSchema = textSchema.max(limits.titleCharsMax).trim().min(1);
export const waitSecondsSchema = z.number().min(0).max(limits.waitSecondsMax);
export const cursorSchema = textSchema.min(1).max(200);
export const pageSizeSchema = z.coerce.number().int().min(1).max(limits.pageMax);
/** Query strings have no booleans; `active=0` must not be taken for yes. */
export const yesOrNo = z
  .union([z.boolean(), z.enum(['true', 'false'])])
  .transform((said) => `${said}` === 'true');

function withoutDots(folder: string): string {
  const names: string[] = [];
  for (const name of folder.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
