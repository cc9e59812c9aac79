// Starts the viewer. What it shows depends on who asks, so it is loaded anew with a token that is entered.
const viewer = document.getElementById('viewer');
let token = null;

/** A token goes along when the description is loaded; with other requests the viewer sends it by itself. */
const withToken = (request) => {
  if (request.loadSpec && token) request.headers.Authorization = `Bearer ${token}`;
  return request;
};

const reloading = (action) => (original, system) => (payload) => {
  const result = original(payload);
  token = action === 'authorize' ? (payload.bearer?.value ?? token) : null;
  system.specActions.download(system.specSelectors.url());
  return result;
};

window.SwaggerUIBundle({
  url: new URL(viewer.dataset.document, document.baseURI).href,
  domNode: viewer,
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
  requestInterceptor: withToken,
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [
    () => ({
      statePlugins: {
        auth: { wrapActions: { authorize: reloading('authorize'), logout: reloading('logout') } },
      },
    }),
  ],
});
