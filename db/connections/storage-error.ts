/** Thrown when the database can't be used as configured. The message gives the operator the reason. */
export class StorageError extends Error {
  override name = 'StorageError';
}
