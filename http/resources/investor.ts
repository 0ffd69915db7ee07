import { z } from 'zod';

export const investorResource = z.object({
  id: z.string().meta({ description: 'ID of the organisation, of the form `inv_…`.' }),
  name: z.string().meta({ description: 'Name of the organisation.' }),
});
