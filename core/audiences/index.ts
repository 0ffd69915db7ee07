import type { Ports } from '../ports/index.ts';
import { withinTerms } from '../use-cases/company-data/within-terms.ts';
import * as companyUseCases from './company.ts';
import * as contactUseCases from './contact.ts';
import * as investorUseCases from './investor.ts';
import * as operatorUseCases from './operator.ts';
import * as serviceUseCases from './service.ts';

type Bound<UseCases> = {
  [Name in keyof UseCases]: UseCases[Name] extends (ports: Ports) => infer UseCase
    ? UseCase
    : never;
};

const createBinder =
  <UseCases extends object>(useCases: UseCases) =>
  (given: Ports): Bound<UseCases> => {
    const ports = { ...given, companyData: withinTerms(given.companyData) };
    const entries = Object.entries(useCases).map(([name, useCase]) => [name, useCase(ports)]);
    return Object.fromEntries(entries) as Bound<UseCases>;
  };

export const createInvestorUseCases = createBinder(investorUseCases);
export const createCompanyUseCases = createBinder(companyUseCases);
export const createContactUseCases = createBinder(contactUseCases);
export const createOperatorUseCases = createBinder(operatorUseCases);
export const createServiceUseCases = createBinder(serviceUseCases);

export type InvestorUseCases = ReturnType<typeof createInvestorUseCases>;
export type CompanyUseCases = ReturnType<typeof createCompanyUseCases>;
export type ContactUseCases = ReturnType<typeof createContactUseCases>;
export type OperatorUseCases = ReturnType<typeof createOperatorUseCases>;
export type ServiceUseCases = ReturnType<typeof createServiceUseCases>;
