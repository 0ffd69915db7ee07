import { demoInstructions, seedDemo, signInToDemo } from '#demo';
import { deskUrl, serviceUrl, signInUrl } from '../../gateway/mail/links.ts';
import { command } from '../command.ts';

export const commands = command(
  'seed',
  'set up the demo in the test environment: an investor, four companies, data and a key',
  {
    examples: ['', '--json'],
    async run(composition, _given, { readConfig }) {
      const config = readConfig();
      const demo = await seedDemo(composition);
      const url = serviceUrl(config);
      const token = config.desk ? await signInToDemo(composition.operatorUseCases) : null;
      return {
        json: {
          created: demo.secret !== null,
          investor_id: demo.investorId,
          company_ids: demo.companyIds,
          key_id: demo.keyId,
          ...(demo.secret !== null && { secret: demo.secret }),
        },
        text: demoInstructions(demo, url, token && signInUrl(deskUrl(url), token)),
      };
    },
  },
);
