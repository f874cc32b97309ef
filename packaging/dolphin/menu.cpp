#include "feed.h"

#include <KAbstractFileItemActionPlugin>
#include <KFileItemListProperties>
#include <KPluginFactory>
#include <QAction>
#include <QIcon>
#include <QMenu>

// The menu of files that Dolphin shows, below an entry of its own as in the other file managers.
class UbiquityMenu : public KAbstractFileItemActionPlugin
{
    Q_OBJECT

public:
    UbiquityMenu(QObject *parent, const QVariantList &)
        : KAbstractFileItemActionPlugin(parent)
    {
    }

    QList<QAction *> actions(const KFileItemListProperties &items, QWidget *parent) override
    {
        const QList<QUrl> urls = items.urlList();
        const QList<Feed::Command> commands = Feed::shared()->menu(urls);
        if (commands.isEmpty())
            return {};
        auto *menu = new QMenu(parent);
        menu->setToolTipsVisible(true);
        for (const Feed::Command &command : commands) {
            QAction *action = menu->addAction(command.label);
            action->setToolTip(command.tip);
            connect(action, &QAction::triggered, Feed::shared(), [name = command.name, urls] {
                Feed::shared()->perform(name, urls);
            });
        }
        QAction *top = menu->menuAction();
        top->setText(QStringLiteral("Ubiquity"));
        top->setIcon(QIcon::fromTheme(QStringLiteral("emblem-ubiquity-cloud")));
        return {top};
    }
};

K_PLUGIN_CLASS_WITH_JSON(UbiquityMenu, "menu.json")

#include "menu.moc"
