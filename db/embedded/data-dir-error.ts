/** The data folder of the embedded database cannot be used; the message says why, for an operator. */
export class DataDirError extends Error {
  override name = 'DataDirError';

  /** Only the message is shown, so it tells the cause too. */
  static because(what: string, cause: unknown): DataDirError {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    return new DataDirError(`${what} (${reason})`, { cause });
  }
}
