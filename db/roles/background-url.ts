/**
 * The URL of the role that works for everybody, where none is configured: beside a role whose name ends in `_service` it
 * is the one that ends in `_background`, as roles.sql makes both, with the same password. Any other role does both.
 */
export function backgroundUrlOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = url.username.replace(/_service$/, '_background');
  return url.username === new URL(databaseUrl).username ? databaseUrl : url.href;
}
