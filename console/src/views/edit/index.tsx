import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/page.tsx';

export default function Entry(): ReactNode {
  return <PageHeader title="Entry" />;
}
