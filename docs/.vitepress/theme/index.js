import { onContentUpdated, useData, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { fields, searchOptions } from '../search.ts';
import './style.css';

const example = 'http://127.0.0.1:3000';

/** Shows the address of this service in examples, so that they can be copied. */
function showOwnAddress() {
  const page = document.querySelector('.vp-doc');
  if (page === null) return;
  const texts = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const text = node.data.replaceAll(example, location.origin);
    if (text !== node.data) node.data = text;
  }
}

/** Marks the main part of the start page, as VitePress does on other pages. */
function markMain() {
  const content = document.getElementById('VPContent');
  if (content.classList.contains('is-home')) content.setAttribute('role', 'main');
  else content.removeAttribute('role');
}

const MarkdownLink = {
  setup() {
    const { page } = useData();
    return () => {
      const href = withBase(`/${page.value.relativePath}`);
      return h('a', { class: 'markdown-link', href, target: '_self' }, 'This page as Markdown');
    };
  },
};

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLink) }),
  setup() {
    onContentUpdated(showOwnAddress);
    onContentUpdated(markMain);
  },
  enhanceApp({ router, siteData }) {
    siteData.value.themeConfig.search.options.miniSearch = { options: { fields }, searchOptions };
    // These pages of the service aren't part of the site, so the browser must load them as a whole.
    router.onBeforeRouteChange = (path) => {
      if (!/^\/docs\/(company-)?reference($|[?#])/.test(path)) return true;
      location.assign(path);
      return false;
    };
  },
};
