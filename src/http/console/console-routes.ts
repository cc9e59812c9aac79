// Every route of the console's own, in one list. What an account may see and do with content goes through the mirrored
// routes of the API instead.
import { accountRoutes, welcomeRoutes } from './account-routes.ts';
import type { ConsoleContext, ConsoleRoute, OpenConsoleRoute } from './console-route.ts';
import { informationRoutes } from './information-routes.ts';
import { sessionRoutes } from './session-routes.ts';

export const consoleRoutes = (context: ConsoleContext): readonly (ConsoleRoute | OpenConsoleRoute)[] => [
  ...sessionRoutes(context),
  ...informationRoutes(context),
  ...welcomeRoutes(context),
  ...accountRoutes(context),
];
