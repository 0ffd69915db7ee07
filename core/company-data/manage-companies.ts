import { OperatorError } from '../errors.ts';
import type { Environment } from '../identity/environment.ts';
import type { Ports } from '../ports.ts';
import { requireName } from '../text.ts';
import { type Company, isCompanyId } from './company.ts';

/** @throws OperatorError `invalid`, or `conflict` when the id is taken */
export const createCompany =
  ({ clock, directory, ids }: Ports) =>
  async (input: {
    name: string;
    environment: Environment;
    id?: string | undefined;
  }): Promise<Company> => {
    const company: Company = {
      id: input.id ?? ids.next('co'),
      name: requireName(input.name),
      environment: input.environment,
      createdAt: clock.now(),
    };
    if (!isCompanyId(company.id)) {
      throw new OperatorError(
        'invalid',
        'a company id is co_ and 1 to 64 letters, digits, underscores or hyphens',
      );
    }
    if (!(await directory.addCompany(company))) {
      throw new OperatorError('conflict', `the company id ${company.id} is taken`);
    }
    return company;
  };

/** Every company of both environments, oldest first. */
export const listCompanies =
  ({ directory }: Ports) =>
  (): Promise<Company[]> =>
    directory.listCompanies();

/** @throws OperatorError `not_found` */
export async function findCompany(
  { directory }: Pick<Ports, 'directory'>,
  id: string,
): Promise<Company> {
  const company = isCompanyId(id) ? await directory.findCompany(id) : null;
  if (company === null) throw new OperatorError('not_found', `there is no company ${id}`);
  return company;
}
