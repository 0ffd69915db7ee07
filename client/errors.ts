import type { ErrorData } from '../trpc-adapter/index.ts';

/** An error that the service returned. `data.code` identifies the reason. */
export interface PortfolioAccessError extends Error {
  readonly data: ErrorData;
}

/** Returns true if the service returned this error, and false for network errors. */
export function isPortfolioAccessError(error: unknown): error is PortfolioAccessError {
  // A program can load this module with `import` and with `require`. Each copy has its own class, so `instanceof` isn't
  // enough.
  return (
    error instanceof Error &&
    error.name === 'TRPCClientError' &&
    (error as Partial<PortfolioAccessError>).data?.code !== undefined
  );
}
