/** What keeps the database from being used as somebody wants; the message tells an operator why. */
export class StorageError extends Error {
  override name = 'StorageError';
}
