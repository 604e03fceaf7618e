/** The errors of Chromium, Firefox and Safari for a screen whose code cannot be loaded. */
const MISSING_CODE = /dynamically imported module|module script/;

/** An error of the API (RFC 9457), or of the way to it. */
export class Problem extends Error {
  /** 0 when the server could not be reached. */
  readonly status: number;
  readonly code: string;
  /** Id of the request, as in the log of the server. */
  readonly requestId: string | undefined;

  constructor(status: number, code: string, message: string, requestId?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }

  static async of(response: Response): Promise<Problem> {
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const body: unknown = await response.json().catch(() => undefined);
    const { code, detail } = (body ?? {}) as { readonly code?: string; readonly detail?: string };
    const text = detail ?? `The server answered ${response.status} without a reason.`;
    return new Problem(response.status, code ?? 'UNKNOWN', text, requestId);
  }

  /** Returns the error of a request without a complete answer. `fetch` throws a TypeError then, also while it reads the body. */
  static ofRequest(thrown: unknown): unknown {
    return thrown instanceof TypeError ? unreachable() : thrown;
  }

  /** Returns a thrown error as a problem. */
  static from(thrown: unknown): Problem {
    if (thrown instanceof Problem) return thrown;
    if (thrown instanceof TypeError && MISSING_CODE.test(thrown.message)) return unreachable();
    return new Problem(0, 'PAGE_ERROR', thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function unreachable(): Problem {
  return new Problem(0, 'UNREACHABLE', 'The server cannot be reached. Check the connection, and try again.');
}
