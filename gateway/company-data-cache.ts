import type { CompanyData, Resource, VersionedCompany } from '#core';
import { bytesOf, type DataCache } from '#http';

/**
 * Caches rows that several kinds of questions need. For example, a question about one metric and a question about all
 * metrics read the same rows. Histories are cached by the adapters instead.
 */
export function cacheCompanyData(data: CompanyData, cache: DataCache): CompanyData {
  function cacheRows<Row extends object>(
    resource: Resource,
    load: (company: VersionedCompany) => Promise<readonly Row[]>,
  ) {
    return (company: VersionedCompany): Promise<readonly Row[]> => {
      const name = `${company.companyId} ${company.dataVersion} ${resource}`;
      return cache.getOrMake(
        { name, resource, hasUnlimitedVariants: false },
        'rows',
        '',
        async () => {
          const value = await load(company);
          return { value, bytes: bytesOf(value) };
        },
      );
    };
  }
  return {
    ...data,
    latestMetrics: cacheRows('metrics', data.latestMetrics),
    sources: cacheRows('sources', data.sources),
    accounts: cacheRows('accounts', data.accounts),
  };
}
