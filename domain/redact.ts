/** Secrets by their shapes, cut out of whatever leaves a session. Paths and commit ids are none. */

/** In place of a secret; what kind it was helps whoever looks for it. */
const gone = (kind: string) => `[redacted ${kind}]`;

interface Shape {
  kind: string;
  /** Most texts hold none of these, and are then not looked through. Empty: always looked through. */
  signs: readonly string[];
  pattern: RegExp;
  /** Group 1, where there is one, stays: it says what the secret was for. */
}

const shapes: readonly Shape[] = [
  // Whole, cut off at its end, or with its beginning cut off.
  {
    kind: 'private key',
    signs: ['PRIVATE KEY'],
    pattern:
      /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,8000}?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?:(?:\r?\n|\\[nr])(?:[A-Za-z0-9+/=]*|(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]*)(?=\r?\n|\\[nr]|$(?![^])))*)|(?:^[A-Za-z0-9+/=]{16,100}[ \t]*\r?\n){0,100}^(?:[A-Za-z0-9+/=]{1,100}[ \t]*\r?\n)?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/gm,
  },
  {
    kind: 'AWS key id',
    signs: ['AKIA', 'ASIA', 'AROA', 'AIDA', 'ABIA', 'ACCA'],
    pattern: /\b(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  },
  {
    kind: 'GitHub token',
    signs: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
  },
  { kind: 'GitLab token', signs: ['glpat-'], pattern: /\bglpat-[\w-]{16,}/g },
  { kind: 'Slack token', signs: ['xox'], pattern: /\bxox[abeprs]-[\w-]{10,}/g },
  { kind: 'npm token', signs: ['npm_'], pattern: /\bnpm_[A-Za-z0-9]{30,}/g },
  { kind: 'Google key', signs: ['AIza'], pattern: /\bAIza[\w-]{30,}/g },
  {
    kind: 'API key',
    signs: ['sk-', 'sk_', 'rk_', 'pk_'],
    pattern: /\b(?:sk-(?=[\w-]{0,200}\d)[\w-]{16,}|[srp]k_(?:live|test)_[A-Za-z0-9]{10,})/g,
  },
  {
    kind: 'token',
    signs: ['eyJ', 'off_'],
    pattern: /\b(?:eyJ[\w-]{8,500}\.[\w-]{4,8000}\.[\w-]{4,}|off_[\w-]{16,1000}\.[\w-]{16,})/g,
  },
  {
    kind: 'credential',
    signs: ['earer', 'EARER', 'asic', 'ASIC'],
    pattern: /\b((?:bearer|basic)\s+)(?=[^\s"'`]{0,200}\d)[A-Za-z0-9._~+/=-]{12,}/gi,
  },
  {
    kind: 'password',
    signs: ['://'],
    pattern: /(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
  },
  // A value that is named as a secret, and looks like one: no path, and letters with digits.
  {
    kind: 'secret',
    signs: ['='],
    pattern:
      /((?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|credentials?)["']?\s*[=:]\s*["']?)(?!\.{0,2}\/|[0-9a-f]{40}\b)(?=[^\s"',;]{0,200}\d)(?=[^\s"',;]{0,200}[A-Za-z])[^\s"',;]{8,}/gi,
  },
];
const named = /(?:pass(?:word|wd|phrase)|secret|token|key|credential)/i;

export function redact(text: string): string {
  let safe = text;
  for (const { kind, signs, pattern } of shapes) {
    if (!(kind === 'secret' ? named.test(safe) : signs.some((sign) => safe.includes(sign))))
      continue;
    safe = safe.replace(pattern, (_, kept: unknown) =>
      typeof kept === 'string' ? kept + gone(kind) : gone(kind),
    );
  }
  return safe;
}
