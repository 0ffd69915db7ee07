/** The data folder of the embedded database cannot be used; the message says why, for an operator. */
export class DataDirError extends Error {
  override name = 'DataDirError';
}
