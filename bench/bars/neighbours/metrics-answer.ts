export interface Expected {
  readonly companyId: string;
  readonly key: string;
  readonly rawValue: string;
}

/** Returns true if the body has exactly the expected metrics. */
export function isMetricsOf(expected: readonly Expected[], body: string): boolean {
  if (expected.length === 0) return false;
  let list: unknown;
  try {
    list = JSON.parse(body);
  } catch {
    return false;
  }
  const { data } = (list ?? {}) as { data?: unknown };
  if (!Array.isArray(data) || data.length !== expected.length) return false;
  return expected.every(({ companyId, key, rawValue }, index) => {
    const metric = data[index];
    return (
      metric?.company_id === companyId &&
      metric.key === key &&
      metric.raw_value === Number(rawValue)
    );
  });
}
