import { readFile } from 'node:fs/promises';
import {
  createGraphqlSchema,
  type GraphqlSettingsInput,
  readTrustedDocuments,
  TrustedDocumentsError,
} from '#graphql-adapter';
import { type Config, ConfigError } from './config.ts';

/**
 * Returns the GraphQL settings. Adds the trusted documents from the configured file.
 *
 * @throws ConfigError
 */
export async function readGraphqlSettings({
  graphql,
  graphqlDocuments: file,
}: Pick<Config, 'graphql' | 'graphqlDocuments'>): Promise<GraphqlSettingsInput> {
  if (file === null) return graphql;
  try {
    const text = await readFile(file, 'utf8');
    return { ...graphql, trustedDocuments: readTrustedDocuments(text, createGraphqlSchema()) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof TrustedDocumentsError || code !== undefined)
      throw new ConfigError([`GRAPHQL_DOCUMENTS ${file} cannot be used: ${message}`]);
    throw error;
  }
}
