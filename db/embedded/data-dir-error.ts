/** The data folder of the embedded database cannot be used; the message tells an operator why. */
export class DataDirError extends Error {
  override name = 'DataDirError';

  /** The message has to tell the cause, because nothing else is shown. */
  static because(what: string, cause: unknown): DataDirError {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    return new DataDirError(`${what} (${reason})`, { cause });
  }
}
