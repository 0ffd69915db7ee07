import { demoInstructions, seedDemo, signInToDemo } from '#demo';
import { demoSignInUrls, serviceUrl } from '../../gateway/mail/links.ts';
import { command } from '../command.ts';

export const commands = command(
  'seed',
  'set up the demo in the test environment: an investor, four companies, data and a key',
  {
    examples: ['', '--json'],
    async run(composition, _args, { readConfig }) {
      const config = readConfig();
      const demo = await seedDemo(composition);
      const url = serviceUrl(config);
      const urls = config.desk
        ? demoSignInUrls(await signInToDemo(composition.operatorUseCases, demo), url)
        : null;
      return {
        json: {
          created: demo.secret !== null,
          investor_id: demo.investorId,
          company_ids: demo.companyIds,
          key_id: demo.keyId,
          ...(demo.secret !== null && { secret: demo.secret }),
        },
        text: demoInstructions(demo, url, urls),
      };
    },
  },
);
