#pragma once

#include <QByteArray>
#include <QHash>
#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QProcess>
#include <QQueue>
#include <QSet>
#include <QString>
#include <QTimer>
#include <QUrl>
#include <QtGlobal>

// The connection of a process to ubiquity-files, which knows everything that is shown. packaging/desktop/ubiquity_desktop/feed.py describes the
// lines. Nothing but menu() waits, and that for a tenth of a second at most. It belongs to the thread of the windows.
class Q_DECL_EXPORT Feed : public QObject
{
    Q_OBJECT

public:
    struct Command {
        QString name, label, tip;
    };

    // The one of this process, which is made by the first extension that is loaded.
    static Feed *shared();

    // Returns the icon of a file; an empty text if it has none or it is not known yet. changed() says when it is.
    QString icon(const QUrl &url);
    // Returns the commands for files; none if the helper does not respond in time.
    QList<Command> menu(const QList<QUrl> &urls);
    void perform(const QString &command, const QList<QUrl> &urls);

Q_SIGNALS:
    void changed(const QUrl &url, const QString &icon);

private:
    Feed();
    ~Feed() override;
    void start();
    void restartLater();
    void followSoon(const QByteArray &uri);
    void followAll();
    void send(const QJsonObject &request);
    void read();
    void handle(const QJsonObject &response);

    QProcess m_process;
    QTimer m_gather, m_restart;
    int m_pause;
    QByteArray m_line;
    // Icons by URI, in the order in which the URIs were asked for first.
    QHash<QByteArray, QString> m_icons;
    QQueue<QByteArray> m_order;
    QSet<QByteArray> m_waiting;
    int m_menu = 0;
    QJsonObject m_menuResponse;
};
