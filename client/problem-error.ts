import { AppError, isRequestErrorCode } from '../contract/errors.ts';
import { problemSchema, type Problem } from '../contract/system-records.ts';

/** A refusal by the server, as it came: the code and hint of an `AppError`, and the HTTP status. */
export class ProblemError extends AppError {
  readonly status: number;
  readonly problem: Problem;

  constructor(problem: Problem) {
    // A newer server may know codes that this client does not.
    super(
      isRequestErrorCode(problem.code) ? problem.code : 'internal',
      problem.detail,
      problem.hint === null ? {} : { hint: problem.hint },
    );
    this.status = problem.status;
    this.problem = problem;
  }
}

/** Null when the body is no problem document. A 5xx of something in between counts as "away". */
export async function problemOf(response: Response): Promise<ProblemError | null> {
  const text = await response.text();
  const parsed = problemSchema.safeParse(parseJson(text));
  if (parsed.success) return new ProblemError(parsed.data);
  if (![502, 503, 504].includes(response.status)) return null;
  return new ProblemError({
    type: 'about:blank',
    title: 'Away',
    status: 503,
    code: 'server_unavailable',
    detail: `The server cannot answer now (HTTP ${response.status}).`,
    hint: null,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
