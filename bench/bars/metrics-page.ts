/** Reads the metrics page of a program: the value of each series by its name, including labels. */
export async function readMetricsPage(port: number): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return new Map(
    [...text.matchAll(/^([^#\s]+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  );
}
