import { setLanguage } from '../cookies.ts';
import { languages } from '../messages/index.ts';
import { forAnyone } from '../route.ts';
import { isSignInPath } from '../security.ts';

export const languageRoutes = [
  forAnyone.post('/language', ({ form, reply, toPagePath }) => {
    const wanted = form.text('language') ?? '';
    if (languages.has(wanted)) setLanguage(reply, wanted);
    const back = form.text('back');
    // Keeps the address of a sign-in link unchanged, because it contains a token that the page needs.
    return { to: isSignInPath(back) ? back : toPagePath(back) };
  }),
];
