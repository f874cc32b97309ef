#include "feed.h"

#include <KOverlayIconPlugin>

// The emblem of each file that Dolphin shows.
class UbiquityOverlay : public KOverlayIconPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID "org.ubiquity_documents.overlay" FILE "overlay.json")

public:
    UbiquityOverlay()
    {
        connect(Feed::shared(), &Feed::changed, this, [this](const QUrl &url, const QString &icon) {
            Q_EMIT overlaysChanged(url, list(icon));
        });
    }

    QStringList getOverlays(const QUrl &url) override
    {
        return list(Feed::shared()->icon(url));
    }

private:
    static QStringList list(const QString &icon)
    {
        return icon.isEmpty() ? QStringList() : QStringList{icon};
    }
};

#include "overlay.moc"
