import type { CompanyData, Resource, VersionedCompany } from '#core';
import { bytesOf, type DataCache } from '#http';

/**
 * Caches rows that different reads share. For example, a read of one metric and a read of all metrics need the same
 * rows. The protocol adapters cache histories instead.
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
